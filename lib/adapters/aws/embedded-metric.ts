type Metric = { namespace: string; name: string; value: number; atMs: number }

/**
 * Fields of a log line from which CloudWatch Logs takes a metric without dimensions, a count: the embedded metric format,
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const embeddedMetric = ({ namespace, name, value, atMs }: Metric) => ({
  _aws: {
    Timestamp: atMs,
    CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Count' }] }],
  },
  [name]: value,
})
