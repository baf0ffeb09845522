import type { LinkProps } from '@tanstack/react-router'
import {
  BookOpen,
  Bot,
  Brain,
  CalendarClock,
  Inbox,
  ListTodo,
  type LucideIcon,
  MessagesSquare,
  Settings,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { InboxBadge } from './inbox-badge.tsx'

type Destination = {
  to: NonNullable<LinkProps['to']>
  label: string
  icon: LucideIcon
  /** The second key of the sequence `g …`. */
  key?: string
}
export type MenuEntry = Destination & { key: string; Badge?: () => ReactNode }

export const menu: readonly MenuEntry[] = [
  { to: '/inbox', label: 'Inbox', icon: Inbox, key: 'i', Badge: InboxBadge },
  { to: '/tasks', label: 'Tasks', icon: ListTodo, key: 't' },
  { to: '/chat', label: 'Chat', icon: MessagesSquare, key: 'c' },
  { to: '/schedules', label: 'Schedules', icon: CalendarClock, key: 'e' },
  { to: '/agents', label: 'Agents', icon: Bot, key: 'a' },
  { to: '/memory', label: 'Memory', icon: Brain, key: 'm' },
  { to: '/settings', label: 'Settings', icon: Settings, key: 's' },
]

/** At the foot of the menu. */
export const docs: MenuEntry = { to: '/docs', label: 'Docs', icon: BookOpen, key: 'd' }

/** The other views of Tasks, beside the list. */
export const taskViews: readonly Destination[] = [
  { to: '/tasks/overview', label: 'Overview', icon: ListTodo, key: 'o' },
  { to: '/tasks/queue', label: 'Queue', icon: ListTodo, key: 'q' },
  { to: '/tasks/failures', label: 'Failures', icon: ListTodo, key: 'f' },
  { to: '/tasks/bulk', label: 'Bulk jobs', icon: ListTodo, key: 'b' },
]

type Role = 'user' | 'admin' | undefined
type Mode = 'local' | 'cloud' | 'oidc' | undefined

/** Who has a section; all if undefined. */
type Offer = { role?: 'admin'; modes?: readonly Mode[] }

type Section = Omit<Destination, 'icon'> &
  Offer & {
    /** It has pages below its address. */
    hasPages?: true
  }

/** Where people have accounts, for admins. */
export const accounts = { role: 'admin', modes: ['cloud', 'oidc'] } as const

export const settingsSections: readonly { group: string; sections: readonly Section[] }[] = [
  {
    group: 'You',
    sections: [
      { to: '/settings/profile', label: 'Profile' },
      { to: '/settings/sessions', label: 'Sign-in' },
      { to: '/settings/messages', label: 'Notifications' },
      { to: '/settings/tokens', label: 'API tokens' },
      { to: '/settings/devices', label: 'Devices', key: 'v' },
    ],
  },
  {
    group: 'Connections',
    sections: [
      { to: '/settings/integrations', label: 'Integrations' },
      { to: '/settings/models', label: 'Models', role: 'admin' },
      { to: '/settings/webhooks', label: 'Webhooks', key: 'w', hasPages: true },
    ],
  },
  {
    group: 'Safety',
    sections: [
      { to: '/settings/security', label: 'Security', key: 'y', hasPages: true },
      { to: '/settings/audit', label: 'Audit', key: 'u', role: 'admin' },
    ],
  },
  {
    group: 'Service',
    sections: [
      { to: '/settings/users', label: 'Users', ...accounts },
      { to: '/settings/invites', label: 'Invites', ...accounts },
      { to: '/settings/access-key', label: 'Access key', role: 'admin', modes: ['local'] },
      { to: '/settings/installation', label: 'Installation', role: 'admin' },
      { to: '/settings/health', label: 'Health', key: 'h' },
    ],
  },
]

/** Hidden sections explain at their address why they are not available. */
export const isOffered = (offer: Offer, role: Role, mode: Mode): boolean =>
  (offer.role === undefined || offer.role === role) &&
  (offer.modes === undefined || offer.modes.includes(mode))

/** The order of the palette and of the list of keys. */
export const destinations: readonly (Destination & Offer)[] = [
  ...menu,
  docs,
  ...taskViews,
  ...settingsSections.flatMap(({ sections }) => sections.map((section) => ({ ...section, icon: Settings }))),
]

/** The views that `g` and a key lead to. */
export const keyed = destinations.flatMap(({ key, ...view }) => (key === undefined ? [] : [{ ...view, key }]))
