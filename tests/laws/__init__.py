"""The laws of the model, as properties over random logs."""
