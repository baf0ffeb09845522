import { definedFields } from '../core/defined-fields.ts'
import { invalid, missing } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { KeyCheck, Models, ProviderStatus } from '../ports/model.ts'
import type { ModelKey } from './schema.ts'
import type { StoredKeys } from './stored-keys.ts'

type Needs = {
  modelKeys: StoredKeys
  models: Pick<Models, 'providers' | 'checkKey'>
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}

type MaskedKeys = Readonly<Record<string, string>>

export type ModelKeys = ReturnType<typeof createModelKeys>

const keyVariable = (provider: string): string => `${provider.toUpperCase()}_API_KEY`

/** The keys of model providers as admins see and change them. The environment takes precedence over stored keys. */
export const createModelKeys = ({ modelKeys: stored, models, audit }: Needs) => {
  const describe = ({ type, name, keyFrom }: ProviderStatus, masked: MaskedKeys): ModelKey => {
    const source = keyFrom ?? (masked[type] === undefined ? 'none' : 'stored')
    const unreadable = source === 'stored' && keyFrom === undefined
    return {
      provider: type,
      name,
      variable: keyVariable(type),
      source,
      unreadable,
      ...definedFields({ masked: masked[type] }),
    }
  }

  /** The state of a provider that takes a key. Throws Problem `missing` `provider_not_found`. */
  const find = (provider: string): ProviderStatus => {
    const found = models.providers().find(({ type, takesKey }) => takesKey && type === provider)
    if (found === undefined) throw missing('Provider')
    return found
  }

  /** Throws Problem `invalid` `setting_not_changeable` where the environment has the key. */
  const refuseFixed = (provider: string): void => {
    if (find(provider).keyFrom !== 'environment') return
    const message = `is set by ${keyVariable(provider)} in the environment`
    throw invalid([{ path: 'apiKey', message }], 'setting_not_changeable')
  }

  const read = async (provider: string): Promise<ModelKey> =>
    describe(find(provider), await stored.readMasked())

  return {
    list: async (): Promise<ModelKey[]> => {
      const masked = await stored.readMasked()
      return models
        .providers()
        .filter(({ takesKey }) => takesKey)
        .map((provider) => describe(provider, masked))
    },
    /** Seals and stores a key; runs and turns that begin later use it. */
    set: async (principal: Principal, provider: string, apiKey: string): Promise<ModelKey> => {
      refuseFixed(provider)
      await stored.set(provider, apiKey)
      await audit(principal, 'model-key.set', { provider })
      return read(provider)
    },
    /** Removes a stored key, if there is one. */
    remove: async (principal: Principal, provider: string): Promise<ModelKey> => {
      find(provider)
      const isStored = (await stored.readMasked())[provider] !== undefined
      if (isStored) {
        await stored.remove(provider)
        await audit(principal, 'model-key.remove', { provider })
      }
      return read(provider)
    },
    /** Asks the provider about a key; without one about the key in use. */
    check: (provider: string, apiKey: string | undefined): Promise<KeyCheck> =>
      models.checkKey(find(provider).type, apiKey),
  }
}
