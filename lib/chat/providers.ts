import { messageOf } from '../core/errors.ts'
import type { Models, ProviderStatus } from '../ports/model.ts'

/** The kinds of model providers, and how those that are configured are. */
export const listProviders = async (models: Models) => {
  const look = async ({ type, name, configured }: ProviderStatus) => {
    if (!configured) return { type, name, configured, healthy: false }
    const { healthy, message } = await models
      .health(type)
      .catch((thrown: unknown) => ({ healthy: false, message: messageOf(thrown) }))
    return { type, name, configured, healthy, ...(message === undefined ? {} : { message }) }
  }
  return {
    default: models.resolve({}).provider,
    providers: await Promise.all(models.providers().map(look)),
  }
}
