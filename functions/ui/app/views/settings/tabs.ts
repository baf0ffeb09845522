import type { LinkProps } from '@tanstack/react-router'

type Role = 'user' | 'admin' | undefined
type Mode = 'local' | 'cloud' | 'oidc' | undefined

type Tab = {
  to: NonNullable<LinkProps['to']>
  label: string
  /** All if undefined. */
  role?: 'admin'
  modes?: readonly Mode[]
}

export const tabs: readonly Tab[] = [
  { to: '/settings', label: 'Profile' },
  { to: '/settings/sessions', label: 'Sign-in' },
  { to: '/settings/tokens', label: 'API tokens' },
  { to: '/settings/integrations', label: 'Integrations' },
  { to: '/settings/models', label: 'Models', role: 'admin' },
  { to: '/settings/users', label: 'Users', role: 'admin', modes: ['cloud', 'oidc'] },
  { to: '/settings/invites', label: 'Invites', role: 'admin', modes: ['cloud', 'oidc'] },
  { to: '/settings/access-key', label: 'Access key', role: 'admin', modes: ['local'] },
  { to: '/settings/installation', label: 'Installation', role: 'admin' },
]

/** Hidden tabs explain at their address why they are not available. */
export const isOffered = (tab: Tab, role: Role, mode: Mode): boolean =>
  (tab.role === undefined || tab.role === role) && (tab.modes === undefined || tab.modes.includes(mode))
