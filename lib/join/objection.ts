import type { Config } from '../config.ts'
import type { Objection } from '../settings/service.ts'

type Circumstances = { mayBeOpen: boolean; hasKey: () => boolean }

/** What of the settings cannot be had while the service runs where it does. */
export const objectionIn =
  (config: Config, { mayBeOpen, hasKey }: Circumstances): Objection =>
  (path, value) => {
    if (path === 'queue.name' || path === 'queue.notificationName')
      return 'is read when the service starts: set it in the environment'
    if (path.startsWith('queue.') && config.SERVICE_MODE === 'pro')
      return 'is decided by the deployment: see params in serverless.yml'
    if (path !== 'system.authMode') return undefined
    if (value === 'oidc' && (config.OIDC_ISSUER === undefined || config.OIDC_CLIENT_ID === undefined))
      return 'needs OIDC_ISSUER and OIDC_CLIENT_ID in the environment'
    return value === 'local' && !mayBeOpen && !hasKey()
      ? 'needs an access key first, since others than this machine can reach the service'
      : undefined
  }
