import { ROSTER_ID, rosters } from '../accounts/rows.ts'
import { badSetting, type Config } from '../config.ts'
import type { AuthContext } from '../join/auth-context.ts'
import { exposureOf } from '../join/exposure.ts'
import type { Store } from '../ports/store.ts'
import type { SignIn } from './banner.ts'

/** Without sign-in every caller is an admin, so the service must not be reachable from other machines. */
export const refuseOpenHost = ({ identity }: Pick<AuthContext, 'identity'>, config: Config): void => {
  try {
    identity.isOpen()
  } catch {
    const [name, value] = exposureOf(config) ?? ['HOST', config.HOST]
    throw badSetting(
      `${name}: without an access key the service is for this machine only, on loopback and behind no proxy, which ` +
        `${value} is not: set ACCESS_KEY, or AUTH_MODE to cloud or oidc`,
    )
  }
}

type Known = Pick<AuthContext, 'authMode' | 'hasAccessKey' | 'issuerBringsAdmin' | 'settings'>

/** What a caller has to do before the service answers. */
export const signInOf = async (
  { authMode, hasAccessKey, issuerBringsAdmin, settings }: Known,
  store: Store,
): Promise<SignIn> => {
  const mode = authMode()
  if (mode === 'local') return hasAccessKey() ? 'key' : 'open'
  const hasAccounts = (await store.get(rosters, ROSTER_ID)) !== undefined
  if (!hasAccounts && settings.current().system.registrationMode === 'closed') return 'nobody'
  if (mode === 'oidc') return hasAccounts && !(await issuerBringsAdmin()) ? 'oidc-no-admin' : 'oidc'
  return hasAccounts ? 'login' : 'signup'
}
