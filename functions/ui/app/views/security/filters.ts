import { TOOL_CALL_FILTERS } from '../../data/security.ts'

/** What narrows the record of tool calls, and the entry that is open. */
export type AuditSearch = { [Name in (typeof TOOL_CALL_FILTERS)[number] | 'entry']?: string | undefined }

const names = [...TOOL_CALL_FILTERS, 'entry']

/** What of an address means something here. */
export const searchIn = (search: Record<string, unknown>): AuditSearch =>
  Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, String(search[name])]] : [])))
