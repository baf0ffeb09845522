import { collection } from '../core/collection.ts'

export type SealedKey = { sealed: string; masked: string }

/** The keys of model providers that admins have stored, by provider. `version` grows with each change. */
export type ModelKeysRow = { id: string; version: number; keys: Readonly<Record<string, SealedKey>> }

export const MODEL_KEYS_ID = 'model-keys'

export const modelKeyRows = collection<ModelKeysRow>({ name: 'modelKeys', key: 'id', indexes: {} })
