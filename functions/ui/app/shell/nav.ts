import type { LinkProps } from '@tanstack/react-router'
import {
  Activity,
  BookOpen,
  Bot,
  Brain,
  CalendarClock,
  Inbox,
  Layers,
  LayoutDashboard,
  ListOrdered,
  ListTodo,
  type LucideIcon,
  MessagesSquare,
  MonitorSmartphone,
  ScrollText,
  Settings,
  ShieldCheck,
  TriangleAlert,
  Webhook,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { InboxBadge } from './inbox-badge.tsx'

type Entry = {
  to: NonNullable<LinkProps['to']>
  label: string
  icon: LucideIcon
  /** The second key of the sequence `g …`. */
  key: string
  Badge?: () => ReactNode
}

/** The order of the sidebar, the palette and the key list. */
export const nav: readonly { group: string; entries: readonly Entry[] }[] = [
  {
    group: 'Work',
    entries: [
      { to: '/inbox', label: 'Inbox', icon: Inbox, key: 'i', Badge: InboxBadge },
      { to: '/tasks/overview', label: 'Overview', icon: LayoutDashboard, key: 'o' },
      { to: '/tasks', label: 'Tasks', icon: ListTodo, key: 't' },
      { to: '/chat', label: 'Chat', icon: MessagesSquare, key: 'c' },
      { to: '/schedules', label: 'Schedules', icon: CalendarClock, key: 'e' },
      { to: '/queue', label: 'Queue & DLQ', icon: ListOrdered, key: 'q' },
      { to: '/failures', label: 'Failures', icon: TriangleAlert, key: 'f' },
      { to: '/bulk', label: 'Bulk jobs', icon: Layers, key: 'b' },
    ],
  },
  {
    group: 'System',
    entries: [
      { to: '/agents', label: 'Agents', icon: Bot, key: 'a' },
      { to: '/memory', label: 'Memory', icon: Brain, key: 'm' },
      { to: '/webhooks', label: 'Webhooks', icon: Webhook, key: 'w' },
      { to: '/health', label: 'Health', icon: Activity, key: 'h' },
      { to: '/devices', label: 'Devices', icon: MonitorSmartphone, key: 'd' },
      { to: '/security', label: 'Security', icon: ShieldCheck, key: 'y' },
      { to: '/audit', label: 'Audit', icon: ScrollText, key: 'u' },
    ],
  },
  {
    group: 'You',
    entries: [
      { to: '/settings', label: 'Settings', icon: Settings, key: 's' },
      { to: '/docs', label: 'Docs & API', icon: BookOpen, key: 'r' },
    ],
  },
]

export const destinations = nav.flatMap(({ entries }) => entries)
