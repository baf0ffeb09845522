type Props = { label: string; text: string; className?: string }

/** Text of any length as it was written, in a box of its own that scrolls. */
export const LongText = ({ label, text, className = '' }: Props) => (
  <section
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within reach of the keyboard.
    tabIndex={0}
    className={`max-h-[45vh] overflow-auto rounded-md border bg-muted/60 px-3 py-2.5 ${className}`}
  >
    <pre className="font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</pre>
  </section>
)
