"""Systems fine-tuned from any Hugging Face encoder."""
