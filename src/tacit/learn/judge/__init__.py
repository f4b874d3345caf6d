"""The judge: a client or a model that reads candidate sentences and says which of them are worth remembering."""
