module paicli

go 1.26
