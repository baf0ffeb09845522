import { formatNumber } from './format.ts'

/** `1 task`, `12 tasks` */
export const taskCount = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'task' : 'tasks'}`
