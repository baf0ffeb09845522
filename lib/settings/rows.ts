import { collection } from '../core/collection.ts'

/** What admins changed, by dotted path. `version` grows with each change, so that two at once do not undo each other. */
export type SettingsRow = {
  id: string
  version: number
  values: Readonly<Record<string, unknown>>
  /** Of local mode's access key; a PHC string. */
  accessKeyHash?: string
  /** The events that outbound webhooks are registered for; here, because who changes tasks reads the settings anyway. */
  heard?: readonly string[]
}

export const SETTINGS_ID = 'settings'

export const settingsRows = collection<SettingsRow>({ name: 'settings', key: 'id', indexes: {} })
