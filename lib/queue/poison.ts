const LONGEST = 200

/** What a dead letter says of a message that could not be read: why, and how it began. */
export const poisonText = (reason: string, raw: string): string =>
  `${reason}: ${raw.length > LONGEST ? `${raw.slice(0, LONGEST)}…` : raw}`
