"""What the DAG files share. Imports Airflow and a YAML reader only: a scheduler needs neither Spark nor the engine."""
