import { createProviderFetch } from '../adapters/node/provider-fetch.ts'
import { createTrackers } from '../adapters/trackers/catalog.ts'
import type { Config } from '../config.ts'
import { joinAccountAccess } from '../join/account-access.ts'
import type { AuthContext, AuthPorts } from '../join/auth-context.ts'
import { apiUrlsOf } from '../oauth/api-urls.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { Tracker, TrackerName, Trackers } from '../ports/tracker.ts'
import { openCloudCipher } from './cloud-cipher.ts'
import { withSecrets } from './cloud-secrets.ts'

/** Where issues are, as a function speaks to them. */
export const openTrackers = (config: Config, { clock }: Pick<AuthPorts, 'clock'>): Trackers =>
  createTrackers({ fetch: createProviderFetch(), clock, apiUrls: apiUrlsOf(config.accounts) })

/**
 * Linked accounts, and their providers, of a function that speaks to those in their owners' names. What the operator said of
 * the providers is read when one is first needed; when it cannot be read, the next one tries again.
 */
export const openAccounts = (
  entry: Pick<AuthContext, 'accountStatusOf' | 'adminIds'>,
  ports: AuthPorts,
  config: Config,
): { trackers: Trackers; access: AccountAccess } => {
  type Opened = { trackers: Trackers; access: AccountAccess }
  let opened: Promise<Opened> | undefined
  const open = async (): Promise<Opened> => {
    const { ACCOUNT_SECRETS_PATH: path } = config
    const known = path === undefined ? config : await withSecrets({ ...config, SECRETS_PATH: path })
    const outside = { cipher: openCloudCipher(config, ports), providerFetch: createProviderFetch() }
    const access = joinAccountAccess(entry, { ...ports, ...outside }, known)
    return { trackers: openTrackers(known, ports), access }
  }
  const there = (): Promise<Opened> => {
    opened ??= open().catch((thrown) => {
      opened = undefined
      throw thrown
    })
    return opened
  }
  const tracker = (name: TrackerName): Tracker => ({
    comment: async (...given) => (await there()).trackers[name].comment(...given),
    edit: async (...given) => (await there()).trackers[name].edit(...given),
    find: async (...given) => (await there()).trackers[name].find(...given),
    read: async (...given) => (await there()).trackers[name].read(...given),
  })
  return {
    trackers: { codehost: tracker('codehost'), trackera: tracker('trackera'), trackerb: tracker('trackerb') },
    access: {
      writerAt: async (name) => (await there()).access.writerAt(name),
      readerOf: async (userId, name) => (await there()).access.readerOf(userId, name),
      tokenOf: async (id, name) => (await there()).access.tokenOf(id, name),
    },
  }
}
