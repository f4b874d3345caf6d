"""What is put into prompts, replayed: at each of them, with what was known before it, judged by what came after it."""
