import { collection } from '../core/collection.ts'

/** The changed settings, by dotted path. `version` grows, so that concurrent changes do not undo each other. */
export type SettingsRow = {
  id: string
  version: number
  values: Readonly<Record<string, unknown>>
  /** The access key of local mode as a PHC string. */
  accessKeyHash?: string
}

export const SETTINGS_ID = 'settings'

export const settingsRows = collection<SettingsRow>({ name: 'settings', key: 'id', indexes: {} })
