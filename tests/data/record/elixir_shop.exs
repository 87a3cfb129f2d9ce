defmodule Shop.Item do
  defstruct [:name, price: 0]
end

defmodule Shop do
  alias Shop.Item

  def total(items), do: items |> Enum.map(&price/1) |> Enum.sum()

  def price(%Item{price: price}) when price < 0, do: raise(ArgumentError, "negative")
  def price(%Item{price: price}), do: price

  def server(sum) do
    receive do
      {:add, from, n} ->
        send(from, {:sum, sum + n})
        server(sum + n)

      :stop ->
        :ok
    end
  end
end

defmodule Shop.Main do
  def run do
    items = [%Shop.Item{name: "pen", price: 3}, %Shop.Item{name: "ink", price: 4}]
    IO.puts("total #{Shop.total(items)}")

    try do
      Shop.price(%Shop.Item{name: "bad", price: -1})
    rescue
      error in ArgumentError -> IO.puts(Exception.message(error))
    end

    task = Task.async(fn -> Shop.total(items) end)
    IO.puts("task #{Task.await(task)}")
    server = spawn(fn -> Shop.server(0) end)

    for n <- 1..3 do
      send(server, {:add, self(), n})
      receive do: ({:sum, sum} -> IO.puts("sum #{sum}"))
    end

    send(server, :stop)
    System.halt(7)
  end
end

Shop.Main.run()
