/** The names of the priorities, most urgent first. */
export const priorities = { 1: 'Critical', 2: 'High', 3: 'Normal', 4: 'Low' } as const
