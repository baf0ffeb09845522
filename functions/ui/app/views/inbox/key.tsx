/** The key of an act, beside its word; a phone has none. */
export const Key = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : (
    <kbd
      aria-hidden
      className="rounded border bg-muted px-1 font-sans text-xs font-normal text-muted-foreground max-md:hidden"
    >
      {name}
    </kbd>
  )
