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
      ? 'would lock out all admins. First link the account of an admin at /api/auth/oidc, in mode cloud'
      : undefined

  const toNoAccount = () =>
    isClosed() ? 'needs an account to sign in with, or open sign-up for the first one' : undefined

  const toMode = async (mode: unknown) => {
    if (mode === 'local')
      return mayBeOpen || hasKey()
        ? undefined
        : 'needs an access key first, because other machines can reach the service'
    if (mode === 'oidc' && !hasIssuer) return 'needs OIDC_ISSUER and OIDC_CLIENT_ID in the environment'
    // An admin must remain who can change the setting back.
    return (await hasAdmin()) ? toAccounts(mode) : toNoAccount()
  }

  return async (path, value) => {
    if (path === 'queue.name' || path === 'queue.notificationName')
      return 'is read at start. Set it in the environment'
    if (path.startsWith('queue.') && areQueuesDeployed)
      return 'is set by the deployment. See params in serverless.yml'
    if (path === 'system.registrationMode' && value === 'closed' && !(await hasAdmin()))
      return 'would also block the first account. Create it first, in mode cloud or oidc'
    return path === 'system.authMode' ? toMode(value) : undefined
  }
}
