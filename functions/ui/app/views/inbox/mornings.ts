const MORNING_HOUR = 8
const DAYS = 7

/** 8 o'clock, in the time zone of the browser, of the next day; with a day of the week (0 is Sunday) of the next such day. */
export const nextMorning = (now: Date, weekday?: number): Date => {
  const days = weekday === undefined ? 1 : (weekday - now.getDay() + DAYS) % DAYS || DAYS
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING_HOUR)
}
