import { client } from './client.ts'
import { useLivePages } from './live-pages.ts'

/** Query parameters of the route. */
export const AUDIT_FILTERS = ['action', 'userId', 'from', 'to'] as const
export type AuditFilters = { readonly [Name in (typeof AUDIT_FILTERS)[number]]?: string }

type Answer = Awaited<ReturnType<typeof client.listAudit>>
export type AuditRecord = Answer['records'][number]

export const useAudit = (filters: AuditFilters) =>
  useLivePages(
    ['audit', filters],
    (page, signal) => client.listAudit({ query: { ...filters, ...page } }, { signal }),
    ({ records }) => records,
  )
