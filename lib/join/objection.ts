import type { Config } from '../config.ts'
import type { Objection } from '../settings/refuse.ts'

type Circumstances = {
  mayBeOpen: boolean
  hasKey: () => boolean
  /** Whether there is an account whose owner may sign in as an admin. */
  hasAdmin: () => Promise<boolean>
  /** Whether the OpenID Connect issuer could bring one of them in. */
  issuerBringsAdmin: () => Promise<boolean>
  /** Whether registration is closed to all. */
  isClosed: () => boolean
}

/** What of the settings cannot be had while the service runs where it does. */
export const objectionIn = (config: Config, circumstances: Circumstances): Objection => {
  const { mayBeOpen, hasKey, hasAdmin, issuerBringsAdmin, isClosed } = circumstances

  const toAccounts = async (mode: unknown) =>
    mode === 'oidc' && !(await issuerBringsAdmin())
      ? 'would let no admin in: link an admin’s account at /api/auth/oidc first, with authMode cloud'
      : undefined

  const toNoAccount = () =>
    isClosed()
      ? 'needs an account to sign in with, or registration that is not closed to the first one'
      : undefined

  const toMode = async (mode: unknown) => {
    if (mode === 'local')
      return mayBeOpen || hasKey()
        ? undefined
        : 'needs an access key first, since others than this machine can reach the service'
    if (mode === 'oidc' && (config.OIDC_ISSUER === undefined || config.OIDC_CLIENT_ID === undefined))
      return 'needs OIDC_ISSUER and OIDC_CLIENT_ID in the environment'
    // An admin must be left who can change it back.
    return (await hasAdmin()) ? toAccounts(mode) : toNoAccount()
  }

  return async (path, value) => {
    if (path === 'queue.name' || path === 'queue.notificationName')
      return 'is read when the service starts: set it in the environment'
    if (path.startsWith('queue.') && config.SERVICE_MODE === 'pro')
      return 'is decided by the deployment: see params in serverless.yml'
    if (path === 'system.registrationMode' && value === 'closed' && !(await hasAdmin()))
      return 'would be closed to the first account too: make that first, with authMode cloud or oidc'
    return path === 'system.authMode' ? toMode(value) : undefined
  }
}
