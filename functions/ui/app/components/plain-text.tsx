/** A text as it was written. */
export const PlainText = ({ text }: { text: string }) => (
  <div className="leading-6 [overflow-wrap:anywhere] whitespace-pre-wrap">{text}</div>
)
