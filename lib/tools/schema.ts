import * as z from 'zod'

export const toolNames = [
  'list_files',
  'read_file',
  'write_file',
  'edit_file',
  'search_files',
  'run_command',
  'git',
  'web_fetch',
  'web_search',
  'memory_search',
  'create_task',
  'get_task',
  'ask_user',
] as const

/** The name of a tool; the error for an unknown name lists all names. */
export const ToolNameSchema = z.enum(toolNames, {
  error: `must be one of ${toolNames.join(', ')}`,
})

/** The worst effect of a tool; `network` sends its arguments out of the installation. */
export const risks = ['read', 'network', 'write', 'execute'] as const
export const RiskSchema = z.enum(risks)
export type Risk = z.output<typeof RiskSchema>
