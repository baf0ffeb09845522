const LONGEST = 200

/** What a message leaves that could not be read: why, and how it began. */
export const poisonLetter = ({ id, reason, text }: { id: string; reason: string; text: string }) => ({
  messageId: id,
  taskId: 'unknown',
  reason: `${reason}: ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`,
})
