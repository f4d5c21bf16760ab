"""Labels from judgments: majority, weighted mean, Dawid and Skene, MACE, GLAD."""
