class DemoProvider:
    name = "demo"
