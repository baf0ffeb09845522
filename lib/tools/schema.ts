import * as z from 'zod'

/** Every tool that the service has, wherever it is offered: what a policy may name. */
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
] as const

/** The name of a tool; an unknown one is refused with the list of those that exist. */
export const ToolNameSchema = z.enum(toolNames, {
  error: `is not the name of a tool; there are ${toolNames.join(', ')}`,
})

/** What a tool can do at worst; `network` sends what it is given out of the installation. */
export const risks = ['read', 'network', 'write', 'execute'] as const
export const RiskSchema = z.enum(risks)
export type Risk = z.output<typeof RiskSchema>
