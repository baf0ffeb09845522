import { collection } from '../core/collection.ts'
import type { Subscriptions } from './schema.ts'

/** What admins changed, by dotted path. `version` grows with each change, so that two at once do not undo each other. */
export type SettingsRow = {
  id: string
  version: number
  values: Readonly<Record<string, unknown>>
  /** Of local mode's access key; a PHC string. */
  accessKeyHash?: string
  /**
   * The events of each outbound webhook, by its id. They are here because every process that changes tasks reads the settings
   * anyway, and because this row is read by its key and written on condition, so that none is lost and none too many.
   */
  subscriptions?: Subscriptions
}

export const SETTINGS_ID = 'settings'

export const settingsRows = collection<SettingsRow>({ name: 'settings', key: 'id', indexes: {} })
