"""Values as papers print them."""
