"""From a question to an answer: search, and the brief that is handed to an agent."""
