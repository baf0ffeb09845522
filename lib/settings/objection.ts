import type { Objection } from './service.ts'

type Circumstances = {
  /** Whether the service may have no sign-in. */
  mayBeOpen: boolean
  /** Whether the deployment decides about queues. */
  areQueuesDeployed: boolean
  hasIssuer: boolean
  hasKey: () => boolean
  hasAdmin: () => Promise<boolean>
  issuerBringsAdmin: () => Promise<boolean>
  isClosed: () => boolean
}

/** Why a setting is impossible in the present circumstances. */
export const createObjection = (circumstances: Circumstances): Objection => {
  const { mayBeOpen, areQueuesDeployed, hasIssuer, hasKey, hasAdmin, issuerBringsAdmin, isClosed } =
    circumstances

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
    if (mode === 'oidc' && !hasIssuer) return 'needs OIDC_ISSUER and OIDC_CLIENT_ID in the environment'
    // An admin must remain who can change the setting back.
    return (await hasAdmin()) ? toAccounts(mode) : toNoAccount()
  }

  return async (path, value) => {
    if (path === 'queue.name' || path === 'queue.notificationName')
      return 'is read when the service starts: set it in the environment'
    if (path.startsWith('queue.') && areQueuesDeployed)
      return 'is decided by the deployment: see params in serverless.yml'
    if (path === 'system.registrationMode' && value === 'closed' && !(await hasAdmin()))
      return 'would be closed to the first account too: make that first, with authMode cloud or oidc'
    return path === 'system.authMode' ? toMode(value) : undefined
  }
}
