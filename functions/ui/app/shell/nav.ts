import type { LinkProps } from '@tanstack/react-router'
import {
  Activity,
  Bell,
  Bot,
  Brain,
  Inbox,
  LayoutDashboard,
  ListTodo,
  type LucideIcon,
  MonitorSmartphone,
  ScrollText,
  Settings,
} from 'lucide-react'

type Entry = {
  to: NonNullable<LinkProps['to']>
  label: string
  icon: LucideIcon
  /** `g` and then this leads there. */
  key: string
}

/** What the sidebar, the palette and the keys lead to, in this order. */
export const nav: readonly { group: string; entries: readonly Entry[] }[] = [
  {
    group: 'Work',
    entries: [
      { to: '/', label: 'Overview', icon: LayoutDashboard, key: 'o' },
      { to: '/tasks', label: 'Tasks', icon: ListTodo, key: 't' },
      { to: '/queue', label: 'Queue & DLQ', icon: Inbox, key: 'q' },
      { to: '/notifications', label: 'Notifications', icon: Bell, key: 'n' },
    ],
  },
  {
    group: 'System',
    entries: [
      { to: '/agents', label: 'Agents', icon: Bot, key: 'a' },
      { to: '/memory', label: 'Memory', icon: Brain, key: 'm' },
      { to: '/health', label: 'Health', icon: Activity, key: 'h' },
      { to: '/devices', label: 'Devices', icon: MonitorSmartphone, key: 'd' },
      { to: '/audit', label: 'Audit', icon: ScrollText, key: 'u' },
    ],
  },
  {
    group: 'You',
    entries: [{ to: '/settings', label: 'Settings', icon: Settings, key: 's' }],
  },
]

export const destinations = nav.flatMap(({ entries }) => entries)
