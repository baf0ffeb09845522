import { collection } from '../core/collection.ts'
import type { Subscriptions } from './schema.ts'

/**
 * The settings that admins changed, by dotted path. `version` grows with each change, so that concurrent changes do not
 * undo each other.
 */
export type SettingsRow = {
  id: string
  version: number
  values: Readonly<Record<string, unknown>>
  /** The access key of local mode as a PHC string. */
  accessKeyHash?: string
  /**
   * The events of each outbound webhook, by its id. They are in this row because every process that changes tasks reads
   * the settings anyway, and because conditional writes of one row lose no change and keep the limit exact.
   */
  subscriptions?: Subscriptions
}

export const SETTINGS_ID = 'settings'

export const settingsRows = collection<SettingsRow>({ name: 'settings', key: 'id', indexes: {} })
