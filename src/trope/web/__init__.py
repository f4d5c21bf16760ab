"""What the pages of trope share: headers, style sheet, and the way they are served."""
