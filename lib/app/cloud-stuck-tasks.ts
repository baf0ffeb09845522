import { embeddedMetric } from '../adapters/aws/embedded-metric.ts'

/** What the log says of tasks that the tick could do nothing for, so that an alarm hears of it: resources/alarms-service.yml. */
export const stuckTasks = (tablePrefix: string, value: number, atMs: number) =>
  embeddedMetric({ namespace: tablePrefix.replace(/-$/, ''), name: 'StuckTasks', value, atMs })
