"""Statistics of dice: whether the faces are equally likely, and how many rolls a bias needs.

scipy is imported on first use. docs/explanation/fairness.md explains the method.
"""
