"""What describes is told when it bears on a task; a command that is taken for one would be told too seldom."""

from __future__ import annotations

import pytest

from tacit.model.claim import Kind
from tacit.model.statement import parse_statement


@pytest.mark.parametrize(
    "sentence",
    [
        "the nightly export lives on the old NAS",
        "the importer needs 8 GB of memory",
        "die Zugangsdaten liegen im Tresor unter shop/prod",
        "le service de paiement appartient à l'équipe de Léa",
        "las migraciones viven en db/changes",
        "os relatórios ficam no bucket antigo",
        "бэкапы хранятся на втором сервере",
        "設定ファイルは etc の下にあります",
        "发票模板存放在 assets/tpl 下面",
    ],
)
def test_how_something_is_is_a_convention(sentence: str) -> None:
    assert parse_statement(sentence).kind is Kind.CONVENTION


@pytest.mark.parametrize(
    "sentence",
    [
        "commits need a ticket number",
        "every endpoint comes with a test",
        "secrets have to live in the vault",
        "nobody touches what lives in gen/",
        "die Tests laufen vor jedem Push",
        "jede Änderung gehört ins CHANGELOG",
        "les tests sont lancés avant chaque commit",
        "los secretos nunca están en el repositorio",
        "os segredos só ficam no cofre",
        "пароли хранятся только в vault",
        "コミットの前にテストを実行しています",
        "テストは必ずあります",
        "提交前在本地跑测试",
        "密钥只能存放在 vault",
        "use pnpm",
    ],
)
def test_what_demands_or_restricts_stays_a_rule(sentence: str) -> None:
    assert parse_statement(sentence).kind in (Kind.RULE, Kind.CONSTRAINT)
