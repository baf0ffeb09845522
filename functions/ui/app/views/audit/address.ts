import { useNavigate, useSearch } from '@tanstack/react-router'
import { AUDIT_FILTERS, type AuditFilters } from '../../data/audit.ts'

type Search = AuditFilters & { entry?: string }

/** Filters and the open entry, from the address. */
export const useAddress = () => {
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters: AuditFilters = Object.fromEntries(
    AUDIT_FILTERS.flatMap((name) => (search[name] ? [[name, search[name]]] : [])),
  )
  const go = (changed: Readonly<Record<string, string | undefined>>) =>
    void navigate({
      to: '.',
      search: (before: Search) => ({ ...before, ...changed }),
      replace: true,
    } as never)
  return {
    filters,
    entry: search.entry,
    change: (changed: AuditFilters) => go(changed),
    clear: () => go(Object.fromEntries(AUDIT_FILTERS.map((name) => [name, undefined]))),
    open: (entry: string | undefined) => go({ entry }),
  }
}
