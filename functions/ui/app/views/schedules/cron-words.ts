import cronstrue from 'cronstrue'

const isUneven = (field = '', range: number): boolean => {
  const step = /^\*\/(\d+)$/.exec(field)?.[1]
  return step !== undefined && range % Number(step) !== 0
}

/**
 * A pattern in words: `At 09:00, Monday through Friday`. Undefined for what is no pattern, and where the words would mislead: a step
 * that does not divide its range starts anew each hour or day, and of two kinds of days either will do.
 */
export const cronInWords = (cron: string): string | undefined => {
  const fields = cron.trim().split(/\s+/)
  const [minute, hour, day, , weekday] = fields
  const isNamed = fields.length === 1 && cron.includes('@') && !cron.includes('@reboot')
  if (!isNamed && fields.length !== 5) return undefined
  if (isUneven(minute, 60) || isUneven(hour, 24)) return undefined
  if (!isNamed && day !== '*' && weekday !== '*') return undefined
  try {
    const words = cronstrue.toString(fields.join(' '), { use24HourTimeFormat: true })
    return words.includes('undefined') ? undefined : words
  } catch {
    return undefined
  }
}
