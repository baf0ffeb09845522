import type { LinkProps } from '@tanstack/react-router'

type Role = 'user' | 'admin' | undefined
type Mode = 'local' | 'cloud' | 'oidc' | undefined

type Tab = {
  to: NonNullable<LinkProps['to']>
  label: string
  /** Whom it is for, and in which mode of sign-in; everybody, and all of them, when it does not say. */
  role?: 'admin'
  modes?: readonly Mode[]
}

export const tabs: readonly Tab[] = [
  { to: '/settings', label: 'Profile' },
  { to: '/settings/sessions', label: 'Sign-in' },
  { to: '/settings/tokens', label: 'API tokens' },
  { to: '/settings/users', label: 'Users', role: 'admin', modes: ['cloud', 'oidc'] },
  { to: '/settings/invites', label: 'Invites', role: 'admin', modes: ['cloud', 'oidc'] },
  { to: '/settings/access-key', label: 'Access key', role: 'admin', modes: ['local'] },
  { to: '/settings/installation', label: 'Installation', role: 'admin' },
]

/** Whether a tab is shown to somebody; who opens its address all the same is told why it is not for him. */
export const isOffered = (tab: Tab, role: Role, mode: Mode): boolean =>
  (tab.role === undefined || tab.role === role) && (tab.modes === undefined || tab.modes.includes(mode))
