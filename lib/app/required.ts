import type { Config } from '../config/config.ts'
import { badSetting } from '../core/bad-setting.ts'

/** A setting that the deployment makes. Throws Problem `bad_setting` when it is absent. */
export const required = (
  config: Config,
  name:
    | 'FILES_BUCKET'
    | 'TASK_QUEUE_URL'
    | 'TASK_URGENT_QUEUE_URL'
    | 'NOTIFICATION_QUEUE_URL'
    | 'RUNNER_QUEUE_URL'
    | 'RUNNER_URGENT_QUEUE_URL',
): string => {
  const value = config[name]
  if (value === undefined) throw badSetting(`${name}: must be set in mode pro`)
  return value
}
