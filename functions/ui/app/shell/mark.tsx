/** The logo: tasks as bars in time. */
export const Mark = () => (
  <svg viewBox="0 0 16 16" className="size-5 shrink-0" aria-hidden="true">
    <rect x="1" y="2.5" width="7" height="2.6" rx="1.3" className="fill-muted-foreground" />
    <rect x="4" y="6.7" width="11" height="2.6" rx="1.3" className="fill-running" />
    <rect x="9" y="10.9" width="6" height="2.6" rx="1.3" className="fill-completed" />
  </svg>
)
