// Placeholder.
export default function Page() {
  return <div class="page">session</div>;
}
