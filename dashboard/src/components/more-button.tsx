// The end of a partial list: how much of it is shown, and a button that loads more.

interface MoreButtonProps {
  readonly countText: string;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly onMore: () => unknown;
}

export function MoreButton({ countText, hasMore, isLoading, onMore }: MoreButtonProps) {
  return (
    <div className="list-end">
      <span className="muted">{countText}</span>
      {hasMore ? (
        <button type="button" className="button" disabled={isLoading} onClick={() => void onMore()}>
          {isLoading ? 'Loading…' : 'Show more'}
        </button>
      ) : null}
    </div>
  );
}
