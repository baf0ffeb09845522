/** `?tab=…` */
export const tabs = {
  output: 'Output',
  changes: 'Changes',
  log: 'Log',
  input: 'Input',
  usage: 'Usage',
  raw: 'Raw',
} as const

export type Tab = keyof typeof tabs

export const isTab = (value: unknown): value is Tab => typeof value === 'string' && Object.hasOwn(tabs, value)
