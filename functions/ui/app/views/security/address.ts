import { useNavigate, useSearch } from '@tanstack/react-router'
import { TOOL_CALL_FILTERS, type ToolCallFilters } from '../../data/security.ts'
import type { AuditSearch } from './filters.ts'

/** What the address says: which tool calls are listed, and which one is open. */
export const useAddress = () => {
  const { entry, ...search } = useSearch({ from: '/security/audit' })
  const navigate = useNavigate({ from: '/security/audit' })
  const go = (changed: AuditSearch) =>
    void navigate({ search: (before: AuditSearch) => ({ ...before, ...changed }), replace: true })
  return {
    filters: search as ToolCallFilters,
    entry,
    change: (changed: AuditSearch) => go({ ...changed, entry: undefined }),
    clear: () => go(Object.fromEntries(TOOL_CALL_FILTERS.map((name) => [name, undefined]))),
    open: (id: string) => go({ entry: id }),
    close: () => go({ entry: undefined, callId: undefined }),
  }
}
